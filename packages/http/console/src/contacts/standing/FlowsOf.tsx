// The flows of a contact, the newest membership first. Older ones come on request.
import { Skeleton, Text } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { queryOf } from "../../api/queries.ts"
import { memberTones } from "../../flows/flow.ts"
import { MoreButton } from "../../parts/table/MoreButton.tsx"
import { Problem } from "../../parts/Problem.tsx"
import { StatusBadge } from "../../parts/StatusBadge.tsx"
import { Time } from "../../parts/Time.tsx"
import { useWords } from "../../words/Words.tsx"

const page_size = 5

export const FlowsOf = ({ contactId }: { readonly contactId: string }) => {
  const words = useWords("contacts")
  const { memberStates } = useWords("flows")
  const pages = useInfiniteQuery({
    queryKey: ["contacts", "memberships", contactId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      queryOf("contacts", "memberships", {
        params: { contact_id: contactId },
        query: { limit: page_size, ...(pageParam === undefined ? {} : { cursor: pageParam }) },
      }).queryFn({ signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  })
  if (pages.isError) return <Problem error={pages.error} onRetry={pages.refetch} />
  if (pages.data === undefined) return <Skeleton className="late" h={40} />
  const memberships = pages.data.pages.flatMap((page) => page.memberships)
  if (memberships.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {words.noFlows}
      </Text>
    )
  }
  return (
    <>
      <ul className="found">
        {memberships.map(({ entered_at, flow_id, flow_name, membership_id, status }) => (
          <li key={membership_id}>
            <div className="found-name">
              <Link
                to="/flows/$flowId/members/$membershipId"
                params={{ flowId: flow_id, membershipId: membership_id }}
                className="link"
              >
                {flow_name}
              </Link>
              <Text size="xs" c="dimmed">
                {words.entered} <Time at={entered_at} as="date" />
              </Text>
            </div>
            <StatusBadge tone={memberTones[status]} label={memberStates[status]} />
          </li>
        ))}
      </ul>
      <MoreButton pages={pages}>{words.older}</MoreButton>
    </>
  )
}
