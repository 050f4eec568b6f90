"""Recordings of ops, and the programs that run them."""
