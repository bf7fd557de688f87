// Attacks on flow memberships.
import { assault } from "../AttackSuite.ts"
import { flowMembers } from "../FlowMemberProbes.ts"

assault(flowMembers)
