"""The inch plane: the geometry of a continuous board, in 1/1000 inch, each answer with its reason.

`Scene` is plain data; `Plane(scene)` is a scene checked and indexed once. Every question is a function of a plane:
distances (`distance`), paths and stops (`paths`), moves (`moves`), the reach field (`reach`), contact and engagement
(`contact`), Surrounded (`surround`), Line of Sight and Cover (`sight`), placing (`placing`), climbing, jumping and
falling (`climb`); `draw` makes a picture of them, `scenefile` reads a scene from YAML. Depends on nothing else of ours.
"""
