"""Delivery by BGP FlowSpec: approved pairs as rules that a BGP speaker announces to a router.

Rules as values (`rule`), their BGP encoding (`nlri`, `path`), the speaker (`gobgp`, with the messages of its API in
`gobgp_api_pb2`), its table (`rib`), and the steps from one rule set to another (`announce`).
"""
