// Listen und Segmente.
import type { Words } from "../Words.tsx"

export const lists: Words["lists"] = {}
