// The commands `tentpole topic …`: what people can subscribe to.
import type { Client, CreateTopic, Topic } from "@tentpole/client"
import { Option } from "effect"
import { Argument, Flag } from "effect/cli"
import { callCommand, isId } from "../../Answers.ts"
import { countOf } from "../../Figures.ts"
import { commandGroup } from "../../Output.ts"
import { fieldsOf, tableOf } from "../../Table.ts"

const topicText = ({ created_at, updated_at: _, ...topic }: Topic): string => fieldsOf({ ...topic, created_at })

const allOf = async (client: Client): Promise<ReadonlyArray<Topic>> => {
  const topics: Array<Topic> = []
  for await (const topic of client.topics.list.each({ query: { limit: 100 } })) topics.push(topic)
  return topics
}

const idOf = async (client: Client, text: string): Promise<string> => {
  if (isId(text)) return text
  const found = (await allOf(client)).find(({ name, slug }) => name === text || slug === text)
  if (found === undefined) throw new Error(`No topic is called ${text}. \`tentpole topic list\` shows all.`)
  return found.topic_id
}

const list = callCommand("list", "Lists the topics in their order", {}, async (client) => {
  const topics = await allOf(client)
  const rows = topics.map(({ default_subscription, name, slug, status, subscribed_count, topic_id, visibility }) => ({
    topic_id,
    name,
    slug,
    status,
    subscribed: subscribed_count,
    default: default_subscription,
    visibility,
  }))
  const total = `${countOf(topics.length, "topic")}.`
  return { document: topics, text: rows.length === 0 ? total : `${tableOf(rows)}\n${total}` }
})

const create = callCommand(
  "create",
  "Creates a topic",
  {
    name: Argument.String("name"),
    default: Flag.Literals("default", ["subscribed", "unsubscribed"]).pipe(
      Flag.withDescription("Status of contacts that did not choose. It can't be changed later"),
    ),
    description: Flag.String("description").pipe(Flag.withDescription("What people read beside it"), Flag.optional),
    public: Flag.Boolean("public").pipe(
      Flag.withDescription("Pages show it to everybody, not only to subscribers"),
      Flag.withDefault(false),
    ),
    single: Flag.Boolean("single-opt-in").pipe(
      Flag.withDescription("Subscribers need not confirm by mail"),
      Flag.withDefault(false),
    ),
  },
  async (client, input) => {
    const payload: CreateTopic = {
      name: input.name,
      default_subscription: input.default,
      visibility: input.public ? "public" : "private",
      double_opt_in: !input.single,
      ...(Option.isSome(input.description) ? { description: input.description.value } : {}),
    }
    const created = await client.topics.create({ payload })
    return { document: created, text: topicText(created) }
  },
)

const archive = callCommand(
  "archive",
  "Archives a topic: no contact can subscribe to it any more",
  { topic: Argument.String("topic").pipe(Argument.withDescription("Name, slug or id of the topic")) },
  async (client, { topic }) => {
    const topicId = await idOf(client, topic)
    const archived = await client.topics.edit({ params: { topicId }, payload: { status: "archived" } })
    return { document: archived, text: topicText(archived) }
  },
)

export const topic = commandGroup("topic", "Topics that people subscribe to: list, create, archive", [
  list,
  create,
  archive,
])
