// Lokale Mail: Nachrichten, die in Dateien geschrieben werden.
import { pluralsOf } from "../../plural.ts"
import type { Words } from "../../Words.tsx"

const plural = pluralsOf("de")

export const inbox: Words["inbox"] = {
  title: "Posteingang",
  text: "Nachrichten werden in Dateien geschrieben. Kein Kontakt erhält eine.",
  message: "Nachricht",
  searchTo: "Adressen durchsuchen",
  searchSubject: "Betreffzeilen durchsuchen",
  none: "Keine Nachricht passt zu dieser Suche.",
  empty: "Noch keine Nachrichten",
  emptyText: "Nachrichten erscheinen hier, sobald sie gesendet sind.",
  off: "E-Mails gehen an einen Mailserver",
  offText:
    "Der Posteingang zeigt Nachrichten nur, solange sie in Dateien geschrieben werden: in der Entwicklung, ohne SMTP_URL.",
  to: "An",
  subject: "Betreff",
  noSubject: "(kein Betreff)",
  kind: "Art",
  kinds: { blast: "Aussendung", flow: "Ablauf", message: "Einzelnachricht", test: "Test" },
  at: "Zeit",
  kilobytes: plural({ other: "{n} KB" }),
  views: { html: "Nachricht", text: "Text", headers: "Kopfzeilen" },
  view: "Ansicht",
  dark: "Dunkel",
  pictures: "Bilder zeigen",
  noHtml: "Die Nachricht hat kein HTML.",
  noText: "Die Nachricht hat keinen reinen Text.",
  act: "Als Empfänger handeln",
  actText:
    "Zahlen, Verläufe und Abläufe folgen. In den ersten zwei Sekunden nach dem Senden zählt ein Öffnen oder ein Klick als der eines Bots.",
  actTest: "Das ist eine Testnachricht: Öffnungen und Klicks werden nicht gezählt.",
  open: "Öffnen",
  unsubscribe: "Abmelden",
  bounce: "Unzustellbar",
  complaint: "Als Spam melden",
  click: "Klicken",
  clickLink: (text: string) => `„${text}“ anklicken`,
  links: "Links",
  noLinks: "Die Nachricht hat keine gezählten Links.",
  done: {
    open: "Das Öffnen ist gezählt",
    click: "Der Klick ist gezählt",
    unsubscribe: "Der Kontakt ist abgemeldet",
    bounce: "Die Unzustellbarkeit ist vermerkt",
    complaint: "Die Beschwerde ist vermerkt",
  },
  clear: "Alle löschen …",
  clearTitle: "Alle Nachrichten dieses Arbeitsbereichs löschen?",
  clearText: "Die Dateien werden gelöscht. Zahlen und Verläufe bleiben.",
  clearAction: "Nachrichten löschen",
  cleared: "Nachrichten gelöscht",
}
