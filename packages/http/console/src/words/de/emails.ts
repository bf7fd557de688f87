// Texte des Raums "emails".
import type { Words } from "../Words.tsx"

export const emails: Words["emails"] = {}
