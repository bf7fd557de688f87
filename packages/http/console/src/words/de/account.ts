// Anmeldung und Konto.
import type { Words } from "../Words.tsx"

export const account: Words["account"] = {
  signIn: "Anmelden",
  signInText: "Melden Sie sich bei Ihrem Tentpole an.",
  email: "E-Mail",
  name: "Ihr Name",
  password: "Passwort",
  passwordText: "Mindestens 12 Zeichen.",
  passwordShow: "Passwort zeigen oder verbergen",
  refused: "E-Mail oder Passwort ist falsch.",
  first: "Konto anlegen",
  firstText: "Sie sind die erste Person hier und werden Betreiber dieser Installation.",
  invitation: (workspace) => `${workspace} beitreten`,
  invitationText: (role) => `Sie wurden eingeladen: ${role}.`,
  recovery: "Neues Passwort wählen",
  recoveryText: "Alle Ihre anderen Sitzungen enden.",
  create: "Konto anlegen",
  join: "Beitreten",
  change: "Speichern und anmelden",
  linkGone: "Dieser Link ist verbraucht oder abgelaufen",
  linkGoneText: "Melden Sie sich an, oder bitten Sie um einen neuen: Betreiber erhalten ihn mit „tentpole user link“.",
  ended: "Ihre Sitzung ist beendet",
  endedText: "Melden Sie sich wieder an; es geht dort weiter, wo Sie waren.",
  again: "Bitte bestätigen Sie, dass Sie es sind",
  againText: "Diese Aktion braucht eine Anmeldung der letzten 15 Minuten.",
}
