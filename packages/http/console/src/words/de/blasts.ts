// Texte des Raums "blasts".
import type { Words } from "../Words.tsx"

export const blasts: Words["blasts"] = {}
