// Texte des Raums "flows".
import type { Words } from "../Words.tsx"

export const flows: Words["flows"] = {}
