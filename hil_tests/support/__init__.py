"""What tests share: oracles, brokers, disks, clients, shoes to test with; and the programs behind make targets."""
