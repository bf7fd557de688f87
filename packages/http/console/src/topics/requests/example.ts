// The call that subscribes a person, as the screens show it with curl.
export const exampleOf = (topic_id: string) => ({
  email: "ann@example.org",
  topic_ids: [topic_id],
  consent: { text: "Yes, send me the monthly letter.", source: "checkout" },
})
