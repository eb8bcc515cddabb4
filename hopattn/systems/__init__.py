"""Systems built of memories, and the models that they are compared with."""
