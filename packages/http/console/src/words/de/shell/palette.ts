// Die Palette: Suche nach Namen, und Befehle.
import type { Words } from "../../Words.tsx"

export const palette: Words["palette"] = {
  placeholder: "Suchen oder Ansicht öffnen",
  searching: "Wird gesucht …",
  screens: "Gehe zu",
  commands: "Befehle",
  details: {
    static: "statisch",
    dynamic: "dynamisch",
    system: "System",
    draft: "Entwurf",
    approved: "freigegeben",
    scheduled: "geplant",
    sending: "wird gesendet",
    sent: "gesendet",
    failed: "fehlgeschlagen",
    cancelled: "abgebrochen",
    archived: "archiviert",
    active: "aktiv",
    paused: "angehalten",
    pending: "leer",
    queued: "wartet",
    generating: "wird erzeugt",
    completed: "fertig",
  },
}
