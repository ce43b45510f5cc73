"""The inch plane: the geometry of a continuous board, in 1/1000 inch, each answer with its reason.

`Scene` is plain data; `Plane(scene)` is a scene checked and indexed once and never changed. Every question is a
function of a plane, in the module of its subject:

    scene, units    what stands on the board; points, fixed-point lengths, exact predicates
    ground          what scenery is to a model, where its base may stand
    distance        gaps, within, wholly within, the nearest with ties, range bands
    paths, stops    the shortest way and its reasons; where a move on it ends; allowances by terrain
    along           the areas a way enters, the bases it touches
    straight        straight on, pushed, directly away
    approach        into contact, within a distance, as near as possible
    firing          the nearest place in range and sight
    flight          away from the nearest enemy, around obstacles
    ethereal        through scenery and bases
    reach           the reach field on tiles
    contact         the contact relation, displacement, engagement, across a barrier
    surround        Surrounded
    sight           Line of Sight, Cover, Darkness
    placing, nearest  legal places, conditions, the nearest free place
    climb           climbing, jumping, dropping, falling
    draw, scenefile   a scene as SVG; a scene from YAML

`freespace`, `search`, `trail` and `gaps` hold the search for paths. Depends on nothing of ours but the kernel's errors
and its YAML reader.
"""
