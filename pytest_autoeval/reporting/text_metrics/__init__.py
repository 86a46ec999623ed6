"""Older metrics of texts beside the verifier's verdict: how far can they be trusted, on one's own results?"""
