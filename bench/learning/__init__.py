"""The parts of bench/learners: data sets, learners, what is measured with them, and how it is stored and printed."""
