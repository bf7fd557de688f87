// Members of flows, attacked.
import { assault } from "./Assault.ts"
import { flowMembers } from "./FlowMemberProbes.ts"

assault(flowMembers)
