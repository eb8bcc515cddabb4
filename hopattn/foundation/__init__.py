"""Foundation."""
