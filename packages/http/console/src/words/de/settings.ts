// Texte des Raums "settings".
import type { Words } from "../Words.tsx"

export const settings: Words["settings"] = {}
