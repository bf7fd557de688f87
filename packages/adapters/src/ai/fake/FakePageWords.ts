// What the fake's pages and emails say: for each kind of page a pitch, labels, cards, steps and questions. General words only: a
// page that says what nobody has told it (a price, a date, a name) would be wrong.
import type { Kind } from "./FakePromptParser.ts"

export const pitches: Readonly<Record<Kind, (topic: string) => string>> = {
  event: (topic) => `All you need to know about ${topic}: what happens, who it is for, and how to be there.`,
  place: (topic) => `Welcome to ${topic}. Come by, look around, and stay as long as you like.`,
  software: (topic) => `See what ${topic} does for you, and how little it takes to begin.`,
  community: (topic) => `Good company around ${topic}. Everybody who is curious is welcome.`,
  person: (topic) => `A look at ${topic}: selected work, how it is made, and how to get in touch.`,
  offer: (topic) => `Take a look at ${topic}: what is in it for you, and how to get it.`,
}

export const navLabels: Readonly<Record<Kind, string>> = {
  event: "Programme",
  place: "What awaits you",
  software: "Features",
  community: "What we do",
  person: "Work",
  offer: "Details",
}

export const callLabels: Readonly<Record<Kind, string>> = {
  event: "See the programme",
  place: "See what awaits you",
  software: "See the features",
  community: "See what we do",
  person: "See the work",
  offer: "See the details",
}

export const moreTitles: Readonly<Record<Kind, string>> = {
  event: "What to expect",
  place: "What awaits you",
  software: "What it does",
  community: "What we do together",
  person: "How I work",
  offer: "Why it is worth a look",
}

/** Title and text of each card; `{}` stands for what the page is about. */
export const cards: Readonly<Record<Kind, ReadonlyArray<readonly [string, string]>>> = {
  event: [
    ["Something for everyone", "Whether you come for an hour or stay to the end: {} has something for you."],
    ["Meet people", "The best part is who you meet. Bring a friend, or leave with a new one."],
    ["Easy to reach", "Plan your way in a minute. We tell you in good time what to bring."],
    ["Well prepared", "A clear programme, short ways, and somebody to ask wherever you are."],
    ["Fresh ideas", "Things to see, to try and to take home."],
    ["Yours to shape", "Tell us what you would like to see, and it may be there."],
  ],
  place: [
    ["Made with care", "We take the time that good things take, and you can tell."],
    ["At home here", "A place to come in, sit down and feel at ease."],
    ["Close to you", "Around the corner for some, worth the trip for all."],
    ["Fresh every day", "What you find today was made today."],
    ["Good advice", "Ask us anything. We like to talk about what we do."],
    ["For your occasion", "Birthdays, teams, celebrations: we help you plan them."],
  ],
  software: [
    ["Ready in minutes", "Set up once, and begin with what you came for."],
    ["Clear at a glance", "What matters stands in front; the rest is where you look for it."],
    ["Works with yours", "Keep the tools you like. It fits in beside them."],
    ["Safe by default", "Your data stays yours, and careful settings come first."],
    ["Grows with you", "From the first try to the whole team without a change of plan."],
    ["People who answer", "Write to us, and somebody who knows writes back."],
  ],
  community: [
    ["Come as you are", "You need no experience to join in, only some curiosity."],
    ["Learn from each other", "Everybody knows something. We share it."],
    ["Do something together", "Regular meetings, small projects, and time to talk."],
    ["Near you", "We meet where it is easy to come to."],
    ["All through the year", "Each season has its own occasions."],
    ["Your ideas count", "What we do next is up to those who come."],
  ],
  person: [
    ["Listen first", "Every project begins with what you need."],
    ["Craft", "Details decide. They get the time they deserve."],
    ["Clear words", "You always know where we stand and what comes next."],
    ["On time", "What is agreed is kept."],
    ["Small and large", "From a single piece to a whole series."],
    ["After the work", "I am there when questions come later."],
  ],
  offer: [
    ["Chosen with care", "Only what we would take ourselves has found its way into {}."],
    ["Made to last", "Good materials, honest work: something to enjoy for years."],
    ["Simple to get", "Pick what you like, and we see to the rest."],
    ["Fair from the start", "No small print, no surprises."],
    ["Help when you want it", "Not sure which? Ask us, and we find it together."],
    ["For a short time", "Have a look now: the best goes first."],
  ],
}

/** How it goes, in three steps: title and text. */
export const steps: Readonly<Record<Kind, ReadonlyArray<readonly [string, string]>>> = {
  event: [
    ["Save the day", "Put it into your calendar, and tell those who should come along."],
    ["Come along", "Arrive as it suits you. Somebody is there to show you the way."],
    ["Take something home", "An idea, a new face, a good memory: leave with more than you came with."],
  ],
  place: [
    ["Come by", "Step in and have a look around. Nobody hurries you."],
    ["Choose what you like", "Ask, try, take your time: we are glad to help."],
    ["Come back", "Now you know where we are, and we know what you like."],
  ],
  software: [
    ["Sign in", "Begin right away, with nothing to install and nobody to wait for."],
    ["Bring what you have", "Start from your own work instead of an empty screen."],
    ["Get on with it", "Spend your time on what you meant to do in the first place."],
  ],
  community: [
    ["Look in", "Come to one of our meetings and see whether you like it."],
    ["Join in", "Take up what interests you, as much or as little as you want."],
    ["Stay in touch", "Hear from us when something new begins."],
  ],
  person: [
    ["Say hello", "Tell me in a few lines what you have in mind."],
    ["Make a plan", "We agree on what it will be, and when."],
    ["See it grow", "You see the work early, and often enough to shape it."],
  ],
  offer: [
    ["Have a look", "See what there is, and what would suit you."],
    ["Pick yours", "Choose in peace. Ask us when you are in doubt."],
    ["Enjoy it", "We see to the rest, so that you can look forward to it."],
  ],
}

/** What people ask: question and answer, as far as it can be answered without knowing more. */
export const questions: Readonly<Record<Kind, ReadonlyArray<readonly [string, string]>>> = {
  event: [
    ["Who is it for?", "For everybody who is curious about {}. You need to know nothing beforehand."],
    ["May I bring somebody?", "Please do. Most things are better together."],
    ["Where do I hear what is new?", "On this page. We keep it up to date until the very day."],
  ],
  place: [
    ["Do I have to say that I am coming?", "Just come by. For larger groups it helps to tell us before."],
    ["Can you help me choose?", "With pleasure. That is what we are here for."],
    ["Where do I hear what is new?", "On this page: have a look now and then."],
  ],
  software: [
    ["Is it difficult to begin?", "No. You see what {} does for you within the first minutes."],
    ["Does it fit in with what we use?", "It is made to stand beside the tools that you have already."],
    ["What if I get stuck?", "Write to us. Somebody who knows it well writes back."],
  ],
  community: [
    ["Who can join?", "Everybody who likes the idea. There is no test and no dress code."],
    ["How much time does it take?", "As much as you want to give. Some come every time, some now and then."],
    ["Can I just look in?", "Of course. The first visit is the best way to get to know us."],
  ],
  person: [
    ["What kind of work do you take on?", "Small and large. If I am not the right one, I say so."],
    ["How does it begin?", "With a conversation, so that we both know what it is about."],
    ["Can I see more?", "Yes. Ask me for what is closest to your own plans."],
  ],
  offer: [
    ["What makes it special?", "That somebody has thought about {} for longer than anybody had to."],
    ["Can you help me choose?", "With pleasure. Tell us what you need, and we find it together."],
    ["How long is it there?", "As long as you see it on this page."],
  ],
}

/** Beside a form: why to fill it in. */
export const formWords: Readonly<Record<Kind, string>> = {
  event: "Be the first to know what is planned, and be there when it begins.",
  place: "Tell us what you have in mind. We see to it that it is ready when you come.",
  software: "Be among the first to try it. We write when there is something to see.",
  community: "Let us know that you are interested, and hear when we meet next.",
  person: "A few lines are enough. I read every message myself.",
  offer: "Leave us a line, and hear from us before everybody else.",
}
