"""Rows for tapefacade/_ops/image."""
