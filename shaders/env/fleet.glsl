// A limited number of vehicles, for rules with FLEET_STATE, `load`, `served` and capacity().

uint vehicles() { return limits[1]; }

// Whether the vehicles that are left can carry what is left, as far as sums tell, when the route ends here.
bool may_end() {
    if (!has(RULES_FLEET) || s.served == n - 1)
        return true;
    return s.routes < vehicles() && capacity() - s.load <= spare - s.unused;
}

// Before the step to node A: begins or ends a route.
void drive(uint a) {
    if (!has(RULES_FLEET))
        return;
    if (a != 0 && s.current == 0) {
        s.routes++;
    } else if (a == 0 && s.current != 0) {
        if (!may_end())
            s.done = RULES_DEAD;
        else if (s.served != n - 1)
            s.unused += capacity() - s.load;
    }
}
