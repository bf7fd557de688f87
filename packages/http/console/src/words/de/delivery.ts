// Texte des Raums "delivery".
import type { Words } from "../Words.tsx"

export const delivery: Words["delivery"] = {}
