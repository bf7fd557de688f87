// Listen und Segmente.
import type { Words } from "../Words.tsx"
import { pluralsOf } from "../plural.ts"

const plural = pluralsOf("de")

export const lists: Words["lists"] = {
  title: "Listen und Segmente",
  list: "Liste",
  number: plural({ other: "{n}" }),
  count: plural({ one: "{n} Liste", other: "{n} Listen" }),
  search: "Listen suchen",
  none: "Keine Liste passt zu dieser Suche.",
  all: "Alle",
  name: "Name",
  description: "Beschreibung",
  kind: "Art",
  kinds: { static: "statisch", dynamic: "dynamisch", system: "System" },
  memberCount: "Mitglieder",
  members: plural({ one: "{n} Mitglied", other: "{n} Mitglieder" }),
  updated: "Geändert",
  empty: "Noch keine Listen",
  emptyText:
    "Eine statische Liste enthält die Kontakte, die Sie hinzufügen, eine dynamische alle, die zu ihren Regeln passen.",
  create: "Neue Liste",
  rules: "Regeln",
  createSegment: "Neues Segment",
  saveSegment: "Als dynamische Liste speichern",
  uses: { blast: "Aussendung", contact_list: "Regeln der Liste", flow: "Ablauf" },
  createAction: "Liste anlegen",
  created: (name) => `Liste „${name}“ angelegt`,
  edit: "Umbenennen",
  saved: "Liste gespeichert",
  delete: "Löschen …",
  deleteTitle: (name) => `Die Liste „${name}“ löschen?`,
  deleteText: "Ihre Kontakte bleiben. Entwürfe, die sie benutzen, verlieren ihre Zielgruppe.",
  deleteAction: "Liste löschen",
  deleted: (name) => `Liste „${name}“ gelöscht`,
  searchMembers: "Mitglieder suchen",
  noneFound: "Kein Mitglied passt zu dieser Suche.",
  noMembers: "Keine Mitglieder",
  noMembersStatic:
    "Fügen Sie Kontakte hier einzeln hinzu, wählen Sie sie in der Tabelle der Kontakte aus, oder importieren Sie eine Datei in diese Liste.",
  noMembersDynamic: "Zurzeit passt kein Kontakt zu den Regeln dieser Liste.",
  add: "Kontakt hinzufügen",
  addAction: "Zur Liste hinzufügen",
  paste: "Adressen einfügen",
  person: "Kontakt",
  added: plural({ one: "{n} Kontakt hinzugefügt", other: "{n} Kontakte hinzugefügt" }),
  alreadyMember: "Der Kontakt ist schon in der Liste",
  remove: "Aus der Liste entfernen",
  removed: plural({ one: "{n} Kontakt aus der Liste entfernt", other: "{n} Kontakte aus der Liste entfernt" }),
}
