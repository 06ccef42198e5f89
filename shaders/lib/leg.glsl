// Returns the length of the leg from node i to node j of the instance whose nodes begin at index `first`. If the
// network sees a far depot closer than it is, a column has its true distances.
float leg(ptr nodes, uint first, uint i, uint j) {
    if (min(i, j) == 0 && i != j) {
        float home = at(nodes, (first + max(i, j)) * NODE_WORDS + NODE_HOME);
        if (home > 0)
            return home;
    }
    return distance(load2(nodes, (first + i) * (NODE_WORDS / 2)), load2(nodes, (first + j) * (NODE_WORDS / 2)));
}
