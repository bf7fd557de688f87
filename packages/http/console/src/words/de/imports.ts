// Texte des Raums "imports".
import type { Words } from "../Words.tsx"

export const imports: Words["imports"] = {}
