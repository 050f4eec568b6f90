"""Rows for tapefacade/_ops/linalg."""
