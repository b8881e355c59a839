"""A recogniser in a process of its own: what crashes there takes nothing else with it.

``proxy`` is the recogniser that the engine holds, ``host`` the program that runs the real one, and
``wire`` how they speak to each other.
"""
