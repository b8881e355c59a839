"""What the subcommands of ``captionglass`` do; imported only when one of them runs."""
