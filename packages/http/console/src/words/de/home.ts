// Texte des Raums "home".
import type { Words } from "../Words.tsx"

export const home: Words["home"] = {}
