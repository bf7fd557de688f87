// Members of flows, attacked.
import { assault } from "../AttackSuite.ts"
import { flowMembers } from "../FlowMemberProbes.ts"

assault(flowMembers)
