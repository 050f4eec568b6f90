"""Rows for tapefacade/_ops/signal."""
