// Names of boxes and ways on the canvas.
import type { Place } from "../draft/steps.ts"

export const entry_id = "entry"

export const nodeId = (stepId: string | null): string => (stepId === null ? entry_id : `step:${stepId}`)

/** The step of a box. Null: the box is no step. */
export const stepIdOf = (id: string): string | null => (id.startsWith("step:") ? id.slice("step:".length) : null)

/** The box at the end of a way that leads nowhere. */
export const openId = ({ from, way }: Place): string => `open:${way}:${from ?? ""}`

export const wireId = ({ from, way }: Place): string => `${way}:${from ?? ""}`
