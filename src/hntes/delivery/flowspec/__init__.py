"""BGP FlowSpec, the second way of delivery: approved pairs as rules that a BGP speaker announces to a router.

Rules as values (`rule`), their form in BGP (`wire`), the speaker (`gobgp`, with the messages of its API in `protobuf`),
what it holds (`held`), and the order of steps from one set of rules to another (`announce`).
"""
