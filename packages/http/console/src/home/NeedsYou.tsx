// What needs the person, each with the way to the screen that solves it.
import { Group, Stack, Text } from "@mantine/core"
import type { EmailAnalytics } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import type { WatchedBlast } from "../api/changes.ts"
import { adminQueryOf, queryOf } from "../api/queries.ts"
import { useFormat } from "../format.ts"
import { CheckIcon, WarningIcon } from "../Icons.tsx"
import { deadOf } from "../operations/state/state.ts"
import { useSession } from "../session.tsx"
import { useWords } from "../words/Words.tsx"
import { type Need, needsOf } from "./home.ts"
import { MaybeLink, Panel } from "./Panel.tsx"

/** Unapproved emails that are counted; there may be more. */
const drafts_max = 100

/** A workspace has no more endpoints of webhooks. */
const endpoints_max = 50

const useText = () => {
  const words = useWords("home").needs
  const { percent } = useFormat()
  return (need: Need): { readonly text: string; readonly path: string; readonly route: string } => {
    switch (need.kind) {
      case "domain":
        return { text: words.domain(need.domain), path: "/domains", route: "/domains" }
      case "bounces":
        return { text: words.bounces(percent(need.share)), path: "/suppressions", route: "/suppressions" }
      case "webhook":
        return {
          text: words.webhook(need.name),
          path: `/webhooks/${need.endpointId}`,
          route: "/webhooks/$endpointId",
        }
      case "jobs":
        return { text: words.jobs(need.count), path: "/operations", route: "/operations" }
      case "approvals":
        return { text: words.approvals(need.count), path: "/emails", route: "/emails" }
      case "paused":
      case "held":
      case "stalled":
        return { text: words[need.kind](need.name), path: `/blasts/${need.blastId}`, route: "/blasts/$blastId" }
    }
  }
}

interface Props {
  readonly figures: EmailAnalytics | undefined
  readonly blasts: ReadonlyArray<WatchedBlast>
}

export const NeedsYou = ({ blasts, figures }: Props) => {
  const words = useWords("home")
  const textOf = useText()
  const { isOperator, workspace } = useSession()
  const drafts = useQuery(queryOf("emails", "list", { query: { status: "draft", limit: drafts_max } }))
  const endpoints = useQuery(queryOf("webhookEndpoints", "list", { query: { limit: endpoints_max } }))
  const operations = useQuery({ ...adminQueryOf("operations", "find"), enabled: isOperator })
  const needs = needsOf({
    blasts,
    figures,
    domains: workspace?.domains ?? [],
    drafts: drafts.data?.emails ?? [],
    endpoints: endpoints.data?.webhook_endpoints ?? [],
    deadJobs: operations.data === undefined ? 0 : deadOf(operations.data),
  })
  return (
    <Panel title={words.needsYou}>
      {needs.length === 0 ? (
        <Group gap="xs" wrap="nowrap" c="dimmed">
          <CheckIcon size={16} />
          <Text size="sm">{words.needsNothing}</Text>
        </Group>
      ) : (
        <Stack gap={8}>
          {needs.map((need) => {
            const { path, route, text } = textOf(need)
            return (
              <Group key={text} gap="xs" wrap="nowrap" align="flex-start" className="need">
                <WarningIcon size={16} />
                <Text size="sm" component="div">
                  <MaybeLink path={path} route={route}>
                    {text}
                  </MaybeLink>
                </Text>
              </Group>
            )
          })}
        </Stack>
      )}
    </Panel>
  )
}
