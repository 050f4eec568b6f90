"""Rows for tapefacade/_ops/math."""
