// The flow of the campaign, and which messages a contact opens, which follows from the contact's number.

const asksOpened = (nodeId: string) => ({
  kind: "condition",
  source: "email_step",
  nodeId,
  metric: "opened",
  operator: "has_activity",
})
const livesInRome = { kind: "condition", source: "contact", field: "city", operator: "equals", value: "Rome" }

const wait = (step_id: string, duration_amount: number, duration_unit: string, next_step_id: string) => ({
  type: "wait",
  step_id,
  duration_amount,
  duration_unit,
  next_step_id,
})
const check = (step_id: string, condition: object, true_step_id: string, false_step_id: string) => ({
  type: "condition_check",
  step_id,
  condition,
  true_step_id,
  false_step_id,
})

/** Every kind of wait, a branch by openings, a branch by city, and a loop. */
export const stepsOf = (email_id: string): ReadonlyArray<object> => {
  const send = (step_id: string, next_step_id: string | null, operational = false) => ({
    type: "send_email",
    step_id,
    email_id,
    operational,
    next_step_id,
  })
  return [
    send("hello", "rest"),
    wait("rest", 1, "days", "seen"),
    check("seen", asksOpened("hello"), "thanks", "again"),
    send("thanks", "pause"),
    send("again", "hope"),
    {
      type: "wait",
      step_id: "hope",
      mode: "condition",
      condition: asksOpened("again"),
      timeout_amount: 1,
      timeout_unit: "days",
      timeout_step_id: "pause",
      next_step_id: "pause",
    },
    wait("pause", 12, "hours", "where"),
    check("where", livesInRome, "round", "last"),
    send("round", "daily"),
    wait("daily", 1, "days", "enough"),
    check("enough", asksOpened("round"), "last", "round"),
    send("last", null, true),
  ]
}

export const cityOf = (nth: number): string => (nth % 2 === 0 ? "Rome" : "Oslo")

/** Some contacts open a message at once, some on a later round, some never. */
export const opens = (nth: number, step: string, visit: number): boolean => {
  switch (step) {
    case "hello":
      return nth % 5 < 2
    case "again":
      return nth % 3 === 0
    case "round":
      return (nth + visit) % 4 === 0
    default:
      return false
  }
}
