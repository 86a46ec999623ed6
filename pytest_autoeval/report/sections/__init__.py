"""What each subject of a report says: an analysis becomes sections of the document."""
