// Texte des Raums "operations".
import type { Words } from "../Words.tsx"

export const operations: Words["operations"] = {}
