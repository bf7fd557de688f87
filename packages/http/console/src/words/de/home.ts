// Start: Zahlen, was gerade läuft, was auf die Person wartet, und die ersten Schritte.
import type { Words } from "../Words.tsx"
import { pluralsOf } from "../plural.ts"

const plural = pluralsOf("de")

const arrow = (sign: number): string => (sign > 0 ? "▲" : sign < 0 ? "▼" : "=")

export const home: Words["home"] = {
  title: "Start",
  hello: (name) => `Willkommen, ${name}. Vier Schritte zeigen, was es gibt, jeder mit einem Klick.`,
  range: "Zeitraum",
  days: plural({ one: "{n} Tag", other: "{n} Tage" }),
  cards: {
    sent: "Gesendet",
    opened: "Geöffnet",
    clicked: "Geklickt",
    bounced: "Unzustellbar",
    contacts: "Neue Kontakte",
  },
  credits: "Guthaben",
  creditsSpent: (count) => `${count} verbraucht`,
  noBefore: "keine früheren Daten",
  changed: (change, sign) =>
    sign === 0 ? "wie zuvor" : `${arrow(sign)} ${change} ${sign > 0 ? "mehr" : "weniger"} als zuvor`,
  changedPoints: (points, sign) =>
    sign === 0 ? "wie zuvor" : `${arrow(sign)} ${points} Punkte ${sign > 0 ? "mehr" : "weniger"} als zuvor`,
  messages: "Nachrichten pro Tag",
  growth: "Neue Kontakte pro Tag",
  signUps: "Anmeldungen auf Seiten",
  goingOn: "Läuft gerade",
  perSecond: (rate) => `${rate}/s`,
  doneAt: (time) => `fertig ${time}`,
  import: "Import",
  progressOf: (name) => `Fortschritt von ${name}`,
  rows: (done) => `${done} Zeilen`,
  rowsOf: (done, total) => `${done} von ${total} Zeilen`,
  needsYou: "Zu erledigen",
  needsNothing: "Zurzeit ist nichts zu erledigen.",
  needs: {
    domain: (domain) => `${domain} ist nicht bestätigt und kann nicht senden.`,
    bounces: (share) => `${share} der Nachrichten waren unzustellbar, mehr als zuvor.`,
    approvals: plural({ one: "{n} E-Mail wartet auf Freigabe.", other: "{n} E-Mails warten auf Freigabe." }),
    jobs: plural({ one: "{n} Auftrag ist fehlgeschlagen.", other: "{n} Aufträge sind fehlgeschlagen." }),
    webhook: (host) => `Der Webhook-Endpunkt bei ${host} ist abgeschaltet: Er funktioniert nicht.`,
    paused: (name) => `„${name}“ ist angehalten.`,
    held: (name) => `„${name}“ wartet: der Versand ist gesperrt.`,
    stalled: (name) => `„${name}“ stockt.`,
  },
  latestBlasts: "Neueste Aussendungen",
  sentTo: (count) => `${count} gesendet`,
  openedBy: (share) => `${share} geöffnet`,
  flows: "Abläufe mit Mitgliedern",
  inFlow: plural({ one: "{n} darin", other: "{n} darin" }),
  pages: "Seiten, letzte 7 Tage",
  views: plural({ one: "{n} Aufruf", other: "{n} Aufrufe" }),
  all: "Alle",
  allOf: (title) => `Alle: ${title}`,
  begin: "Erste Schritte",
  done: "erledigt",
  open: "Öffnen",
  firstSteps: {
    contact: {
      title: "Erster Kontakt",
      text: "Ein Kontakt ist eine Person mit einer Adresse. Fangen Sie mit sich selbst an.",
    },
    email: { title: "Erste E-Mail", text: "Legt eine E-Mail an und sendet Ihnen einen Test davon." },
    page: { title: "Erste Seite", text: "Veröffentlicht eine kleine Seite. Weitere schreibt die KI nach Anweisung." },
    domain: {
      title: "Ihre Domain",
      text: "Echte E-Mails brauchen eine Domain, die Ihnen gehört, mit drei DNS-Einträgen.",
    },
  },
  addMe: "Mich hinzufügen",
  contactAdded: "Sie sind jetzt ein Kontakt",
  sendFirst: "Mir eine E-Mail schicken",
  emailSent: (address) => `Ein Test ist unterwegs an ${address}`,
  firstEmail: {
    name: "Erste E-Mail",
    subject: "Hallo von Tentpole",
    from_name: "Tentpole",
    html: "<html><body><h1>Hallo {{contact.first_name|und willkommen}}</h1><p>Das ist die erste E-Mail Ihres Tentpole.</p></body></html>",
  },
  publishFirst: "Eine Seite veröffentlichen",
  pagePublished: "Die Seite ist veröffentlicht",
  firstPage: {
    name: "Erste Seite",
    html: '<!doctype html><html lang="de"><head><title>Hallo</title></head><body><h1>Hallo</h1><p>Das ist die erste Seite Ihres Tentpole.</p></body></html>',
  },
  addDomain: "Domain hinzufügen",
  thenBlast: "Danach eine Aussendung: eine E-Mail einmal an viele Kontakte.",
  toBlasts: "Zu den Aussendungen",
}
