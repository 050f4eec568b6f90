"""Rows for tapefacade/_ops/nn."""
