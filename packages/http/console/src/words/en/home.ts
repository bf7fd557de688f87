// Home: figures, what goes on, what needs the person, and the steps of a new workspace.
import { pluralsOf } from "../plural.ts"

const plural = pluralsOf("en")

/** `sign` is 1 for more, -1 for less, 0 for the same. */
const arrow = (sign: number): string => (sign > 0 ? "▲" : sign < 0 ? "▼" : "=")

export const home = {
  title: "Home",
  hello: (name: string) => `Welcome, ${name}. Four steps show what is there, each with one click.`,
  range: "Period",
  days: plural({ one: "{n} day", other: "{n} days" }),
  cards: { sent: "Sent", opened: "Opened", clicked: "Clicked", bounced: "Bounced", contacts: "New contacts" },
  credits: "Credits left",
  creditsSpent: (count: string) => `${count} spent`,
  noBefore: "no earlier data",
  changed: (change: string, sign: number) =>
    sign === 0 ? "as before" : `${arrow(sign)} ${change} ${sign > 0 ? "more" : "less"} than before`,
  changedPoints: (points: string, sign: number) =>
    sign === 0 ? "as before" : `${arrow(sign)} ${points} points ${sign > 0 ? "more" : "less"} than before`,
  messages: "Messages a day",
  growth: "New contacts a day",
  signUps: "Sign-ups on pages",
  goingOn: "In progress",
  perSecond: (rate: string) => `${rate}/s`,
  doneAt: (time: string) => `done ${time}`,
  import: "Import",
  progressOf: (name: string) => `Progress of ${name}`,
  rows: (done: string) => `${done} rows`,
  rowsOf: (done: string, total: string) => `${done} of ${total} rows`,
  needsYou: "Needs attention",
  needsNothing: "Nothing needs attention now.",
  needs: {
    domain: (domain: string) => `${domain} is not verified: it cannot send.`,
    bounces: (share: string) => `${share} of the messages bounced, more than before.`,
    approvals: plural({ one: "{n} email waits for approval.", other: "{n} emails wait for approval." }),
    jobs: plural({ one: "{n} background job failed.", other: "{n} background jobs failed." }),
    webhook: (host: string) => `The webhook endpoint at ${host} is disabled: it does not work.`,
    paused: (name: string) => `“${name}” is paused.`,
    held: (name: string) => `“${name}” waits: sending is held.`,
    stalled: (name: string) => `“${name}” has stalled.`,
  },
  latestBlasts: "Latest blasts",
  sentTo: (count: string) => `${count} sent`,
  openedBy: (share: string) => `${share} opened`,
  flows: "Flows with members",
  inFlow: plural({ one: "{n} in it", other: "{n} in it" }),
  pages: "Pages, last 7 days",
  views: plural({ one: "{n} view", other: "{n} views" }),
  all: "All",
  allOf: (title: string) => `All: ${title}`,
  begin: "First steps",
  done: "done",
  open: "Open",
  firstSteps: {
    contact: { title: "First contact", text: "A contact is a person with an address. Begin with yourself." },
    email: { title: "First mail", text: "Creates an email and sends a test of it to you." },
    page: { title: "First page", text: "Publishes a small page. The AI writes others from a prompt." },
    domain: { title: "Your domain", text: "Real mail needs a domain that you own, with three DNS records." },
  },
  addMe: "Add me",
  contactAdded: "You are a contact now",
  sendFirst: "Send me a mail",
  emailSent: (address: string) => `A test is on its way to ${address}`,
  firstEmail: {
    name: "First mail",
    subject: "Hello from Tentpole",
    from_name: "Tentpole",
    html: "<html><body><h1>Hello {{contact.first_name|there}}</h1><p>This is the first mail of your Tentpole.</p></body></html>",
  },
  publishFirst: "Publish a page",
  pagePublished: "The page is published",
  firstPage: {
    name: "First page",
    html: '<!doctype html><html lang="en"><head><title>Hello</title></head><body><h1>Hello</h1><p>This is the first page of your Tentpole.</p></body></html>',
  },
  addDomain: "Add a domain",
  thenBlast: "Then send a blast: one email to many contacts, once.",
  toBlasts: "Go to blasts",
}
