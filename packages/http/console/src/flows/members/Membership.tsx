// One membership: where the contact is in the flow, and everything that happened.
import { Button, Grid, Paper, Skeleton, Text, Timeline } from "@mantine/core"
import type { Flow, FlowMembershipRun } from "@tentpole/client"
import { useQuery } from "@tanstack/react-query"
import { Link, useParams } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useMutationOf } from "../../api/mutations.ts"
import { queryOf } from "../../api/queries.ts"
import { BackLink } from "../../parts/BackLink.tsx"
import { Confirm } from "../../parts/Confirm.tsx"
import { CurlButton } from "../../parts/Copy.tsx"
import { PageHeader } from "../../parts/PageHeader.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useSession } from "../../session.tsx"
import { useWords } from "../../words/Words.tsx"
import { memberTones } from "../flow.ts"
import { entryTexts } from "../parts/texts.ts"
import { isPresent, memberName } from "./member.ts"

const Remove = ({ member }: { readonly member: FlowMembershipRun }) => {
  const words = useWords("flows")
  const [isAsking, setAsking] = useState(false)
  const name = memberName(member, words.deletedContact)
  const remove = useMutationOf("flowMembers", "remove", {
    done: () => words.memberRemoved(name),
    onDone: () => setAsking(false),
  })
  const { contact_id: contactId, flow_id: flowId } = member
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={() => setAsking(true)}>
        {words.removeMember}
      </Button>
      {isAsking && (
        <Confirm
          title={words.removeMemberTitle(name)}
          text={words.removeMemberText}
          action={words.removeMemberAction}
          isPending={remove.isPending}
          error={remove.error}
          onClose={() => setAsking(false)}
          onConfirm={() => remove.mutate({ params: { flowId, contactId } })}
        />
      )}
    </>
  )
}

const Fact = ({ children, label }: { readonly label: string; readonly children: ReactNode }) => (
  <div className="field">
    <dt>{label}</dt>
    <dd>{children}</dd>
  </div>
)

const Facts = ({ member, nameOf }: { readonly member: FlowMembershipRun; readonly nameOf: (id: string) => string }) => {
  const words = useWords("flows")
  const { current_step_id, drop_reason, entered_at, entry_source, last_error, retry_count, tokens, waiting_until } =
    member
  const end = member.completed_at ?? member.dropped_at
  return (
    <dl className="fields">
      <Fact label={words.entered}>
        <Time at={entered_at} />
      </Fact>
      <Fact label={words.enteredBy}>{entry_source === "manual" ? words.byHand : words.triggerTypes[entry_source]}</Fact>
      {current_step_id !== null && <Fact label={words.step}>{nameOf(current_step_id)}</Fact>}
      {waiting_until !== null && (
        <Fact label={words.waitsUntil}>
          <Time at={waiting_until} />
        </Fact>
      )}
      {end !== null && (
        <Fact label={words.left}>
          <Time at={end} />
        </Fact>
      )}
      {drop_reason !== null && <Fact label={words.reason}>{words.reasons[drop_reason]}</Fact>}
      {last_error !== null && (
        <Fact label={words.lastError}>
          {last_error} {words.attempts(retry_count)}
        </Fact>
      )}
      {Object.entries(tokens).map(([name, value]) => (
        <Fact key={name} label={name}>
          {String(value)}
        </Fact>
      ))}
    </dl>
  )
}

const Entries = ({
  member,
  nameOf,
}: {
  readonly member: FlowMembershipRun
  readonly nameOf: (id: string) => string
}) => {
  const words = useWords("flows")
  return (
    <Timeline bulletSize={14} lineWidth={1} color="gray">
      {member.timeline.map((entry, index) => {
        const { detail, text } = entryTexts(words, entry, nameOf)
        return (
          // oxlint-disable-next-line react/no-array-index-key -- entries are only added at the end
          <Timeline.Item key={index} title={text}>
            {detail !== null && <Text size="sm">{detail}</Text>}
            <Text size="xs" c="dimmed">
              <Time at={entry.timestamp} />
            </Text>
          </Timeline.Item>
        )
      })}
    </Timeline>
  )
}

const Content = ({ flow, member }: { readonly flow: Flow | undefined; readonly member: FlowMembershipRun }) => {
  const words = useWords("flows")
  const nameOf = (id: string): string => {
    const step = flow?.steps.find(({ step_id }) => step_id === id)
    return step === undefined ? id : (step.label ?? words.stepTypes[step.type])
  }
  return (
    <Grid gap="md">
      <Grid.Col span={{ base: 12, md: 5 }}>
        <Paper p="md" component="section" aria-label={words.membership}>
          <Facts member={member} nameOf={nameOf} />
          {member.contact !== null && (
            <Link to="/contacts/$contactId" params={{ contactId: member.contact_id }} className="link small">
              {words.showContact}
            </Link>
          )}
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 7 }}>
        <Paper p="md" component="section" aria-label={words.timeline}>
          <Entries member={member} nameOf={nameOf} />
        </Paper>
      </Grid.Col>
    </Grid>
  )
}

export const Membership = () => {
  const words = useWords("flows")
  const { may } = useSession()
  const params = useParams({ from: "/flows/$flowId/members/$membershipId" })
  const found = useQuery(queryOf("flowMembers", "find", { params }))
  const flow = useQuery(queryOf("flows", "find", { params: { flowId: params.flowId } })).data
  const back = <BackLink to={`/flows/${params.flowId}/members`} label={words.membersTitle} />
  if (found.isPending) return <Skeleton className="late" h={420} radius="lg" />
  if (found.isError) {
    return (
      <>
        <PageHeader above={back} title={words.membership} />
        <Problem error={found.error} onRetry={found.refetch} />
      </>
    )
  }
  const member = found.data
  return (
    <>
      <PageHeader
        above={back}
        title={memberName(member, words.deletedContact)}
        beside={<StatusBadge tone={memberTones[member.status]} label={words.memberStates[member.status]} />}
        actions={
          <>
            <CurlButton call={["flowMembers", "find", { params }]} />
            {may("sender") && isPresent(member) && <Remove member={member} />}
          </>
        }
      />
      <Content flow={flow} member={member} />
    </>
  )
}
