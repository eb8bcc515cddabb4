"""The same keys, values and cues through several memories, and through an attention that is written apart."""
