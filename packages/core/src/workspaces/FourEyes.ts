// Four eyes: a workspace can require that one person edits an email, another one approves it, and another one than that sends it.
import { Schema } from "effect"
import type { ActorName } from "../kernel/changes/Actor.ts"
import { refusalClass } from "../kernel/Refusal.ts"

const sentences = {
  approve: "Who edited an email last can't approve it. Another person has to approve this email",
  launch: "Who approved an email can't send it. Another person has to send or schedule this blast",
}

/** The workspace requires four eyes, and the caller did the step before, too. */
export class AnotherPersonNeeded extends refusalClass<AnotherPersonNeeded>()("AnotherPersonNeeded", {
  code: "another_person_needed",
  fields: { step: Schema.Literals(["approve", "launch"]) },
  message: ({ step }) => sentences[step],
}) {}

/** Whether one person did both. An API key is a person here; background work, which follows the workspace's settings, is none. */
export const isSamePerson = (before: ActorName, now: ActorName): boolean => before === now && now !== "worker"
