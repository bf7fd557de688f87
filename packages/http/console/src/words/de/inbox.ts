// Texte des Raums "inbox".
import type { Words } from "../Words.tsx"

export const inbox: Words["inbox"] = {}
