// Texte des Raums "tents".
import type { Words } from "../Words.tsx"

export const tents: Words["tents"] = {}
