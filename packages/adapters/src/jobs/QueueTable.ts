/** The table of the queue, in the schema `jobs`. */
export const queue_table = "job_queue"
